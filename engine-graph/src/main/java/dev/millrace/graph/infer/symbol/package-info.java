/** Formulas over symbolic extents: their form, their parser, their value once the symbols are bound. */
@NullMarked
package dev.millrace.graph.infer.symbol;

import org.jspecify.annotations.NullMarked;
