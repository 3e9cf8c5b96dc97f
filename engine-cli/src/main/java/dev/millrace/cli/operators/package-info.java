/** Which operators there are, and which of them providers take, as the tables of the engine say. */
@NullMarked
package dev.millrace.cli.operators;

import org.jspecify.annotations.NullMarked;
