package dev.millrace.cli.fire;

import dev.millrace.graph.ir.Value;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Tensor;
import java.util.Map;

/** Small models of what is more than arithmetic: branches, loops, text and sequences. */
final class ControlModels {
    private ControlModels() {}

    static byte[] control() {
        Net net = Net.named("control");
        Value x = net.floats("x", "n");
        Value trips = net.op("Min", net.input("trips", ElementType.INT64), net.constant(Tensor.scalar(100L)));
        Value positive =
                net.op("Greater", net.op("ReduceSum", Map.of("keepdims", 0), x), net.constant(Tensor.scalar(0f)));
        Net yes = net.body("yes");
        yes.output(yes.op("Sqrt", yes.op("Abs", x)));
        Net no = net.body("no");
        no.output(no.op("Add", x, no.weights(1)));
        Value branched = net.op("If", Map.of("then_branch", yes, "else_branch", no), positive);
        Net body = net.body("loop");
        body.input("i", ElementType.INT64);
        Value go = body.input("go", ElementType.BOOL);
        Value carried = body.floats("carried", "n");
        Value next = body.op("Mul", body.op("Add", carried, x), body.constant(Tensor.scalar(0.5f)));
        body.output(body.op("Identity", go)).output(next).output(body.op("ReduceMax", Map.of("keepdims", 0), next));
        var looped = net.ops("Loop", 2, Map.of("body", body), trips, net.constant(Tensor.scalar(true)), branched);
        return net.output(looped.get(0)).output(looped.get(1)).bytes();
    }

    static byte[] scan() {
        Net net = Net.named("scan");
        Value x = net.floats("x", "steps", 4);
        Net body = net.body("step");
        Value state = body.floats("state", 4);
        Value item = body.floats("item", 4);
        Value sum = body.op("Add", body.op("Tanh", state), item);
        body.output(sum).output(body.op("Relu", sum));
        var scanned = net.ops(
                "Scan", 2, Map.of("body", body, "num_scan_inputs", 1), net.constant(Tensor.copyOf(new float[4], 4)), x);
        return net.output(scanned.get(0)).output(scanned.get(1)).bytes();
    }

    static byte[] text() {
        Net net = Net.named("text");
        Value x = net.input("x", ElementType.STRING, "n");
        Value y = net.input("y", ElementType.STRING, "n");
        Value joined = net.op("StringConcat", x, y);
        Value lower = net.op("StringNormalizer", Map.of("case_change_action", "UPPER"), joined);
        var split = net.ops("StringSplit", 2, Map.of("delimiter", "1"), joined);
        return net.output(lower)
                .output(split.get(0))
                .output(split.get(1))
                .output(net.op("RegexFullMatch", Map.of("pattern", "s[0-9]+s.*"), joined))
                .output(net.op("Equal", x, y))
                .bytes();
    }

    static byte[] sequence() {
        Net net = Net.named("sequence");
        Value x = net.floats("x", "n", 3);
        Value position = net.input("position", ElementType.INT64);
        Value parts = net.op("SplitToSequence", Map.of("axis", 0, "keepdims", 1), x);
        Value more = net.op("SequenceInsert", parts, net.op("ReduceMean", x, net.longs(0)), position);
        Value less = net.op("SequenceErase", more, position);
        Value one = net.op("SequenceAt", less, net.constant(Tensor.scalar(0L)));
        return net.output(net.op("ConcatFromSequence", Map.of("axis", 0), more))
                .output(net.op("SequenceLength", less))
                .output(one)
                .output(less)
                .bytes();
    }
}
