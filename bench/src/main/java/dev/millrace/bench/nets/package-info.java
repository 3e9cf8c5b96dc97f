/// Models with random weights, built node by node, for what no package registry carries.
@NullMarked
package dev.millrace.bench.nets;

import org.jspecify.annotations.NullMarked;
