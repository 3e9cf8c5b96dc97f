@NullMarked
package dev.millrace.graph.optimise.passes;

import org.jspecify.annotations.NullMarked;
