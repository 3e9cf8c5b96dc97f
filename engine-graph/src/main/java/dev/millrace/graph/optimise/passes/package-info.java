/** The standard passes of the optimiser: folding, fusion, and removal of redundant nodes. */
@NullMarked
package dev.millrace.graph.optimise.passes;

import org.jspecify.annotations.NullMarked;
