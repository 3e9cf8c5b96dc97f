@NullMarked
package dev.millrace.graph.lower;

import org.jspecify.annotations.NullMarked;
