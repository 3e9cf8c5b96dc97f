/** Which operators there are, and which of them providers take: what the tables of the engine say when they are asked. */
@NullMarked
package dev.millrace.cli.operators;

import org.jspecify.annotations.NullMarked;
