/** Images from files and from AWT. The package needs the module java.desktop. */
@NullMarked
package dev.millrace.pipelines.imageio;

import org.jspecify.annotations.NullMarked;
