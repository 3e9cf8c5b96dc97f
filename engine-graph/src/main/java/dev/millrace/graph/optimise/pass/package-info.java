/** The interface of optimiser passes: a pass examines nodes in a context and proposes patches. */
@NullMarked
package dev.millrace.graph.optimise.pass;

import org.jspecify.annotations.NullMarked;
