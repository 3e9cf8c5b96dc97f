@NullMarked
package dev.millrace.graph.quantize;

import org.jspecify.annotations.NullMarked;
