/** Stages for images: classes, boxes, masks and written text. No class of the package needs AWT. */
@NullMarked
package dev.millrace.pipelines.image;

import org.jspecify.annotations.NullMarked;
