/** The optimiser: passes propose patches, a driver applies them, checks the graph and reports what it did. */
@NullMarked
package dev.millrace.graph.optimise;

import org.jspecify.annotations.NullMarked;
