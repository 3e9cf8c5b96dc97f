/** The optimiser: passes propose patches; a driver applies them, checks the graph and reports the changes. */
@NullMarked
package dev.millrace.graph.optimise;

import org.jspecify.annotations.NullMarked;
