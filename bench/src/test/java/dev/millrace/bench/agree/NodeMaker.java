package dev.millrace.bench.agree;

import dev.millrace.graph.ir.OpId;
import java.util.LinkedHashMap;
import java.util.Map;

/** A maker of random inputs and attributes for a node of one operator. */
@FunctionalInterface
interface NodeMaker {
    void make(OneNode node, Chance chance);

    /** Returns the makers of all operators that are compared. */
    static Map<OpId, NodeMaker> all() {
        var makers = new LinkedHashMap<OpId, NodeMaker>();
        ElementwiseMakers.putInto(makers);
        ReduceMakers.putInto(makers);
        ShapeMakers.putInto(makers);
        IndexMakers.putInto(makers);
        ProductMakers.putInto(makers);
        WindowMakers.putInto(makers);
        LayerMakers.putInto(makers);
        FeatureMakers.putInto(makers);
        ContribMakers.putInto(makers);
        ByteMakers.putInto(makers);
        DecoderMakers.putInto(makers);
        return makers;
    }

    /** Adds one maker for several operators of ONNX, whose names are separated by spaces. */
    static void put(Map<OpId, NodeMaker> makers, String names, NodeMaker maker) {
        put(makers, OpId.ONNX, names, maker);
    }

    static void put(Map<OpId, NodeMaker> makers, String domain, String names, NodeMaker maker) {
        for (String name : names.split(" ")) {
            makers.put(new OpId(domain, name), maker);
        }
    }
}
