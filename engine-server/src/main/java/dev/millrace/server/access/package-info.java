/** Tokens of clients, and what each permits. */
@NullMarked
package dev.millrace.server.access;

import org.jspecify.annotations.NullMarked;
