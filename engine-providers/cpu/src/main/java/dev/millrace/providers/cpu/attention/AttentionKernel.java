package dev.millrace.providers.cpu.attention;

import dev.millrace.graph.ir.Attributes;
import dev.millrace.graph.ir.Node;
import dev.millrace.scheduler.kernel.BindContext;
import dev.millrace.scheduler.kernel.Launch;
import dev.millrace.scheduler.kernel.ShapedKernel;

/** Attention of opset 23 and later, with grouped heads, a past, masks and a soft cap. */
record AttentionKernel(Node node) implements ShapedKernel {

    @Override
    public Launch bind(BindContext context) {
        Attributes attributes = node.attributes();
        HeadLayout q = HeadLayout.of(context.inputShape(0), attributes.integer("q_num_heads", 0));
        long kvHeads = attributes.integer("kv_num_heads", 0);
        InputRows k = InputRows.of(context, 1, HeadLayout.of(context.inputShape(1), kvHeads))
                .after(context, 4);
        InputRows v = InputRows.of(context, 2, HeadLayout.of(context.inputShape(2), kvHeads))
                .after(context, 5);
        Bias bias = Bias.of(context, attributes.flag("is_causal", false), q, k);
        float scale = attributes.real("scale", (float) (1 / Math.sqrt(q.size())));
        var task = new ScaledDotProductTask(
                q,
                InputRows.of(context, 0, q),
                k,
                v,
                bias,
                scale,
                attributes.real("softcap", 0f),
                null,
                ScoreOutput.of(context, attributes.integer("qk_matmul_output_mode", 0), q, k.steps()),
                context.inputType(0));
        boolean keys = context.outputCount() > 1 && context.hasOutput(1);
        boolean values = context.outputCount() > 2 && context.hasOutput(2);
        return launch -> {
            if (keys) {
                k.write(launch, k.type(), 1);
            }
            if (values) {
                v.write(launch, v.type(), 2);
            }
            launch.parallelFor(task.items(), 1, task);
        };
    }
}
