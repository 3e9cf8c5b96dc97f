/**
 * The table of operators: which there are, and which of them the providers take, according to the engine's own tables.
 */
@NullMarked
package dev.millrace.cli.operators;

import org.jspecify.annotations.NullMarked;
