/** Files of packages that the clients of package registries bring. */
@NullMarked
package dev.millrace.models.packages;

import org.jspecify.annotations.NullMarked;
