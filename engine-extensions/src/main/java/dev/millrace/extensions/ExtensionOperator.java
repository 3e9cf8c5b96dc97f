package dev.millrace.extensions;

import dev.millrace.graph.ir.Node;
import dev.millrace.graph.ir.ValueType;
import dev.millrace.graph.op.CustomOperator;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.scheduler.kernel.DynamicKernel;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * An operator that has a kernel here.
 *
 * @param head the first line of its schema: its name and version
 * @param schema the other lines
 * @param outputs the element types of its outputs, whose shapes follow from data
 * @param kernels makes the kernel of a node, and checks its attributes
 */
record ExtensionOperator(String head, String schema, List<ElementType> outputs, Function<Node, DynamicKernel> kernels) {
    String name() {
        return head.substring(0, head.indexOf(' '));
    }

    CustomOperator in(String domain) {
        return CustomOperator.parse(domain, head + "\n" + schema, (node, _) -> types(node));
    }

    private List<@Nullable ValueType> types(Node node) {
        var types = new ArrayList<@Nullable ValueType>();
        for (ElementType each :
                outputs.subList(0, Math.min(outputs.size(), node.outputs().size()))) {
            types.add(new ValueType.TensorType(each, null));
        }
        return types;
    }
}
