// Package transaction is what the stores of all families of nouns share: the database with what a
// store knows about its process, the transaction of a workspace, the row that is its lock, and the
// limits of its lists.
//
// An exported method of a store opens a transaction (DB.Write, DB.WriteUnseen, DB.Configure); a
// function that takes a Tx composes, so that a change is written by the functions of several
// families in one transaction.
package transaction
