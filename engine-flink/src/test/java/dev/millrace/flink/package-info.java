@NullMarked
package dev.millrace.flink;

import org.jspecify.annotations.NullMarked;
