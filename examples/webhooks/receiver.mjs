// Receives Fermata's events: verifies each with the library of Standard Webhooks, knows one
// that it has had by its id, and prints it. WEBHOOK_SECRET is what the server showed when the
// webhook was made; PORT is where to listen (0: any).
import { createServer } from 'node:http'
import { Webhook } from 'standardwebhooks'

const webhook = new Webhook(process.env.WEBHOOK_SECRET)
const seen = new Set() // in earnest: a table with the id as its key

const server = createServer((request, response) => {
  const parts = []
  request.on('data', (part) => parts.push(part))
  request.on('end', () => {
    const body = Buffer.concat(parts).toString() // as it came: a body that was parsed and written again does not verify
    let event
    try {
      event = webhook.verify(body, request.headers)
    } catch (error) {
      console.error(`refused: ${error.message}`)
      response.writeHead(401).end()
      return
    }
    const id = request.headers['webhook-id']
    if (!seen.has(id)) {
      seen.add(id)
      console.log(JSON.stringify({ id, type: event.type, seq: event.seq }))
    }
    response.writeHead(204).end()
  })
})
server.listen(Number(process.env.PORT ?? 4000), '127.0.0.1', () => {
  console.error(`http://127.0.0.1:${server.address().port}`)
})
