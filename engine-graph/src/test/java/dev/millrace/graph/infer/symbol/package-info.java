/** Tests of formulas over symbolic extents. */
@NullMarked
package dev.millrace.graph.infer.symbol;

import org.jspecify.annotations.NullMarked;
