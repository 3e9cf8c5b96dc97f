@NullMarked
package dev.millrace.graph.optimise;

import org.jspecify.annotations.NullMarked;
