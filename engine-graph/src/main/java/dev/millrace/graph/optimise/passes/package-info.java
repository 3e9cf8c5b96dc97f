/** The standard passes, each a rule of its own. */
@NullMarked
package dev.millrace.graph.optimise.passes;

import org.jspecify.annotations.NullMarked;
