package dev.millrace.graph.lower;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.NodeSpec;
import dev.millrace.graph.ir.Value;
import dev.millrace.graph.op.OpName;
import java.util.List;

/** DeformConv as a product: of the filters, and of what they see of each channel, tap by tap and place by place. */
final class DeformConvLowering {
    static final String COLUMNS = "DeformColumns";

    private static final List<String> OF_WINDOWS = List.of("dilations", "offset_group", "pads", "strides");

    private DeformConvLowering() {}

    static void write(Composer c) {
        c.refuse(c.rank(0) != 4, "only images of two axes, not " + (c.rank(0) - 2));
        long groups = c.attributes().integer("group", 1);
        Value image = c.input(0);
        Value weights = c.input(1);
        NodeSpec seen = c.own(COLUMNS, image, weights, c.input(2), c.find(4));
        for (String name : OF_WINDOWS) {
            Attribute attribute = c.attributes().find(name);
            seen = attribute == null ? seen : seen.with(name, attribute);
        }
        Value columns = c.add(seen);
        Value filters = c.extents(weights, 0, 1);
        Value images = c.extents(image, 0, 1);
        Value sums;
        if (groups == 1) {
            sums = c.op(OpName.MATMUL, c.op(OpName.RESHAPE, weights, c.concat(0, filters, c.longs(-1))), columns);
        } else {
            Value some = c.op(OpName.DIV, filters, c.longs(groups));
            Value factors = c.op(OpName.RESHAPE, weights, c.concat(0, c.longs(groups), some, c.longs(-1)));
            Value rows = c.op(OpName.DIV, c.extents(columns, 1, 2), c.longs(groups));
            Value places = c.extents(columns, 2, 3);
            Value ofGroups = c.op(OpName.RESHAPE, columns, c.concat(0, images, c.longs(groups), rows, places));
            sums = c.op(OpName.MATMUL, factors, ofGroups);
        }
        Value shape = c.concat(0, images, filters, c.extents(c.input(2), 2, 4));
        Value result = c.op(OpName.RESHAPE, sums, shape);
        c.result(c.has(3) ? c.op(OpName.ADD, result, c.op(OpName.RESHAPE, c.input(3), c.longs(1, -1, 1, 1))) : result);
    }
}
