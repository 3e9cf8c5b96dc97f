/** Sounds and the speech in them. */
@NullMarked
package dev.millrace.pipelines.audio;

import org.jspecify.annotations.NullMarked;
