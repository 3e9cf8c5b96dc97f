/** A stream processor that writes the vectors of a topic's texts to another topic. */
@NullMarked
package dev.millrace.example.kafka;

import org.jspecify.annotations.NullMarked;
