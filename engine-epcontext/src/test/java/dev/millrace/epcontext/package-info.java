/** Context binaries, the workspaces that share them, and the models that name them. */
@NullMarked
package dev.millrace.epcontext;

import org.jspecify.annotations.NullMarked;
