// Small helpers for building the page. Text only ever enters the document as text
// nodes: nothing here, and nothing that uses it, parses HTML.

// h makes an element. Props: "class", "text", "on<event>" handlers, booleans, and
// attributes. Children: nodes, strings, arrays of them; null and false are left out.
export function h(tag, props = {}, ...children) {
  const el = document.createElement(tag);
  for (const [name, value] of Object.entries(props)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith('on')) el.addEventListener(name.slice(2), value);
    else if (name === 'text') el.textContent = value;
    else if (name === 'value') el.value = value;
    else if (value === true) el.setAttribute(name, '');
    else el.setAttribute(name, String(value));
  }
  append(el, children);
  return el;
}

export function append(el, children) {
  for (const child of children.flat(Infinity)) {
    if (child === null || child === undefined || child === false) continue;
    el.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

// reconcile makes the children of container match items = [{key, sign, make}]. A node
// whose key and sign are unchanged is kept as it is, with what a person typed into it
// and with the focus; only what changed is built again.
export function reconcile(container, items) {
  const old = new Map();
  for (const node of container.children) old.set(node.dataset.key, node);
  let place = container.firstElementChild;
  for (const item of items) {
    let node = old.get(item.key);
    if (node && node.dataset.sign === item.sign) {
      old.delete(item.key);
    } else {
      node = item.make();
      node.dataset.key = item.key;
      node.dataset.sign = item.sign;
    }
    if (node === place) {
      place = place.nextElementSibling;
    } else {
      // A node that moves loses the focus; in a list that only grows none moves.
      container.insertBefore(node, place);
    }
    while (place && old.get(place.dataset.key) === place && !wanted(items, place)) {
      const gone = place;
      place = place.nextElementSibling;
      old.delete(gone.dataset.key);
      gone.remove();
    }
  }
  for (const node of old.values()) node.remove();
}

function wanted(items, node) {
  return items.some((item) => item.key === node.dataset.key && item.sign === node.dataset.sign);
}

// frame gathers calls of paint into one for each animation frame. A hidden tab has no
// frames, so there a timer stands in.
export function frame(paint) {
  let waiting = false;
  const run = () => { waiting = false; paint(); };
  return () => {
    if (waiting) return;
    waiting = true;
    if (document.hidden) setTimeout(run, 50);
    else requestAnimationFrame(run);
  };
}

let ids = 0;
// uid makes an id for tying a label to its field.
export const uid = (prefix) => `${prefix}-${++ids}`;
