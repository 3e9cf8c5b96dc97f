package dev.millrace.graph.optimise.passes;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.optimise.TestGraph;
import java.util.Map;

/** Attributes that several tests need. */
final class Fixtures {
    private Fixtures() {}

    static Attributes branches(TestGraph then, TestGraph otherwise) {
        return Attributes.of(Map.of(
                "then_branch", Attribute.of(then.graph),
                "else_branch", Attribute.of(otherwise.graph)));
    }
}
