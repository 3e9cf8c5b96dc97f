/// Models with random weights, built node by node, where no package registry has such a model.
@NullMarked
package dev.millrace.bench.nets;

import org.jspecify.annotations.NullMarked;
