/** Tests of context binaries, of the workspaces that share them, and of the models that name them. */
@NullMarked
package dev.millrace.epcontext;

import org.jspecify.annotations.NullMarked;
