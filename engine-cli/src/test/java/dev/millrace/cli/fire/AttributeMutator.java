package dev.millrace.cli.fire;

import com.google.protobuf.ByteString;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.op.AttributeSpec;
import dev.millrace.graph.op.OperatorSchema;
import dev.millrace.graph.op.Schemas;
import dev.millrace.graph.proto.AttributeProto;
import dev.millrace.graph.proto.NodeProto;
import java.util.List;
import java.util.Random;

/** Gives attributes other values, mostly of their kind, at times at the ends of what there is. */
final class AttributeMutator {
    private static final float[] REALS = {
        0, -0f, 1, -1, 0.5f, 1e-38f, 1e9f, Float.MAX_VALUE, Float.NaN, Float.POSITIVE_INFINITY, Float.NEGATIVE_INFINITY
    };
    private static final List<String> WORDS = List.of(
            "",
            "linear",
            "nearest",
            "cubic",
            "reflect",
            "edge",
            "SAME_UPPER",
            "VALID",
            "add",
            "mul",
            "none",
            "sum",
            "tanh",
            "Relu",
            "bidirectional",
            "reverse",
            "i,j->",
            "ij,jk->ik",
            "(a|b)*c",
            "\u0000",
            "BHWC");

    private final Random random;
    private final TensorMutator tensors;

    AttributeMutator(Random random, TensorMutator tensors) {
        this.random = random;
        this.tensors = tensors;
    }

    void mutate(NodeProto.Builder node) {
        if (node.getAttributeCount() == 0 || random.nextInt(3) == 0) {
            addKnown(node);
            return;
        }
        int at = random.nextInt(node.getAttributeCount());
        AttributeProto.Builder attribute = node.getAttributeBuilder(at);
        switch (random.nextInt(12)) {
            case 0 -> node.removeAttribute(at);
            case 1 -> node.addAttribute(attribute.build());
            case 2 -> attribute.setType(AttributeProto.AttributeType.forNumber(random.nextInt(15)));
            default -> change(attribute);
        }
    }

    /** Sets an attribute that the operator has. */
    private void addKnown(NodeProto.Builder node) {
        OperatorSchema schema = Schemas.find(new OpId(node.getDomain(), node.getOpType()), Net.OPSET);
        if (schema == null || schema.attributes().isEmpty()) {
            return;
        }
        AttributeSpec spec =
                schema.attributes().get(random.nextInt(schema.attributes().size()));
        AttributeProto.Builder attribute = AttributeProto.newBuilder().setName(spec.name());
        switch (spec.kind()) {
            case INT -> attribute.setType(AttributeProto.AttributeType.INT).setI(number());
            case FLOAT -> attribute.setType(AttributeProto.AttributeType.FLOAT).setF(real());
            case STRING ->
                attribute.setType(AttributeProto.AttributeType.STRING).setS(word());
            case INTS -> {
                attribute.setType(AttributeProto.AttributeType.INTS);
                for (int left = random.nextInt(5); left > 0; left--) {
                    attribute.addInts(number());
                }
            }
            case FLOATS -> {
                attribute.setType(AttributeProto.AttributeType.FLOATS);
                for (int left = random.nextInt(5); left > 0; left--) {
                    attribute.addFloats(real());
                }
            }
            default -> {
                return;
            }
        }
        for (int i = 0; i < node.getAttributeCount(); i++) {
            if (node.getAttribute(i).getName().equals(spec.name())) {
                node.setAttribute(i, attribute);
                return;
            }
        }
        node.addAttribute(attribute);
    }

    private void change(AttributeProto.Builder attribute) {
        switch (attribute.getType()) {
            case INT -> attribute.setI(number());
            case FLOAT -> attribute.setF(real());
            case STRING -> attribute.setS(word());
            case TENSOR -> tensors.mutate(attribute.getTBuilder());
            case INTS -> {
                int count = attribute.getIntsCount();
                if (count == 0 || random.nextInt(6) == 0) {
                    attribute.addInts(number());
                } else if (random.nextInt(6) == 0) {
                    attribute.clearInts();
                } else {
                    attribute.setInts(random.nextInt(count), number());
                }
            }
            case FLOATS -> {
                if (attribute.getFloatsCount() == 0) {
                    attribute.addFloats(real());
                } else {
                    attribute.setFloats(random.nextInt(attribute.getFloatsCount()), real());
                }
            }
            case STRINGS -> attribute.addStrings(word());
            default -> attribute.setName(word().toStringUtf8());
        }
    }

    private long number() {
        return Extremes.number(random);
    }

    private float real() {
        return random.nextInt(3) == 0 ? random.nextFloat() * 4 - 2 : REALS[random.nextInt(REALS.length)];
    }

    private ByteString word() {
        return ByteString.copyFromUtf8(WORDS.get(random.nextInt(WORDS.size())));
    }
}
