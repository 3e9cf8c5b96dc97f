/**
 * Constrained output: automata over bytes that are compiled from regular expressions, JSON schemas and grammars, and the
 * tokens that may follow in them.
 */
@NullMarked
package dev.millrace.text.constraint;

import org.jspecify.annotations.NullMarked;
