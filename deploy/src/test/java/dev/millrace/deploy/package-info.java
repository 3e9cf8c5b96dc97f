/** Tests of the files with which the model server is deployed. */
@NullMarked
package dev.millrace.deploy;

import org.jspecify.annotations.NullMarked;
