package dev.millrace.cli.fire;

import static org.assertj.core.api.Assertions.assertThat;

import dev.millrace.cli.fire.Guard.Outcome;
import dev.millrace.graph.proto.GraphProto;
import dev.millrace.graph.proto.ModelProto;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.scheduler.Cancellation;
import dev.millrace.session.Engine;
import dev.millrace.session.EngineOptions;
import dev.millrace.session.Inputs;
import dev.millrace.session.Outputs;
import dev.millrace.session.RunOptions;
import dev.millrace.session.Session;
import dev.millrace.session.SessionOptions;
import java.lang.foreign.MemorySegment;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Files of images that were changed: each is decoded, or refused with a reason. */
@Tag("fuzz")
@Tag("slow")
class ImageFireIT {
    private static final int ATTEMPTS = 3_000;

    private int decoded;
    private int refused;
    private int stopped;

    @Test
    void imagesAreDecodedOrRefused() throws Exception {
        var mutator = new ImageMutator();
        try (Engine engine = Engine.create(EngineOptions.builder().threads(1).build());
                Session session = engine.session(model(), SessionOptions.defaults())) {
            Fire.attempts("images", ATTEMPTS, this, random -> attack(session, mutator.draw(random), random));
            for (byte[] seed : mutator.seeds()) {
                assertThat(Guard.outcome("a seed", cancellation -> decode(session, seed, cancellation))
                                .isAnswer())
                        .isTrue();
            }
        }
        assertThat(decoded).isPositive();
        assertThat(refused).isPositive();
    }

    private static byte[] model() {
        GraphProto.Builder graph = GraphProto.newBuilder().setName("image");
        graph.addNodeBuilder().setOpType("ImageDecoder").addInput("file").addOutput("pixels");
        graph.addInputBuilder()
                .setName("file")
                .getTypeBuilder()
                .getTensorTypeBuilder()
                .setElemType(2)
                .getShapeBuilder()
                .addDimBuilder()
                .setDimParam("bytes");
        graph.addOutputBuilder().setName("pixels");
        ModelProto.Builder model = ModelProto.newBuilder().setIrVersion(10).setGraph(graph);
        model.addOpsetImportBuilder().setVersion(Net.OPSET);
        return model.build().toByteArray();
    }

    private static Shape decode(Session session, byte[] file, Cancellation cancellation) {
        Tensor input = Tensor.allocate(ElementType.UINT8, Shape.of(file.length));
        input.segment().copyFrom(MemorySegment.ofArray(file));
        try (Outputs outputs = session.run(
                Inputs.empty().and("file", input),
                RunOptions.builder().cancellation(cancellation).build())) {
            return outputs.get("pixels").shape();
        }
    }

    private void attack(Session session, byte[] file, Random random) {
        Outcome<Shape> outcome = Guard.outcome(
                "an image of " + file.length + " bytes (" + random + ")",
                cancellation -> decode(session, file, cancellation));
        if (outcome.isAnswer()) {
            decoded++;
        } else if (outcome.refusal() == null) {
            stopped++;
        } else {
            refused++;
            if (outcome.refusal().getCause() instanceof OutOfMemoryError) {
                throw new AssertionError("an image (" + random + ") takes memory without bound", outcome.refusal());
            }
        }
    }

    @Override
    public String toString() {
        return decoded + " decoded, " + refused + " refused, " + stopped + " stopped";
    }
}
