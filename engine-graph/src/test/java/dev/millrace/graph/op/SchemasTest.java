package dev.millrace.graph.op;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.millrace.graph.ir.Attribute;
import dev.millrace.graph.ir.OpId;
import dev.millrace.graph.tensor.ElementType;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;

class SchemasTest {
    private static final Path OPERATORS = Path.of("../../shared/onnx-data/operators.csv");

    /** Operators of which version 1 was an experiment, or is what other runtimes write into models of any opset. */
    private static final Set<OpId> EXPERIMENTS = Set.of(
            OpId.onnx("Upsample"),
            OpId.onnx("ThresholdedRelu"),
            OpId.onnx("LayerNormalization"),
            OpId.onnx("MeanVarianceNormalization"));

    private static OperatorSchema schema(String op, int opset) {
        return Objects.requireNonNull(Schemas.find(OpId.onnx(op), opset));
    }

    @Test
    void everyListedVersionHasASchemaAndOthersAreNewerOrExperimental() throws IOException {
        Assumptions.assumeTrue(Files.exists(OPERATORS), () -> "skipped: " + OPERATORS + " is absent");
        Map<OpId, Set<Integer>> known = Schemas.all().stream()
                .collect(Collectors.groupingBy(
                        OperatorSchema::op,
                        Collectors.mapping(OperatorSchema::since, Collectors.toCollection(TreeSet::new))));
        var differences = new ArrayList<String>();
        int listed = 0;
        for (String line : Files.readAllLines(OPERATORS).stream().skip(1).toList()) {
            String[] cells = line.split(",", -1);
            var op = new OpId(cells[0], cells[1]);
            var versions = new TreeSet<Integer>();
            for (String version : cells[2].split(";", -1)) {
                versions.add(Integer.valueOf(version));
            }
            listed += versions.size();
            var ours = new TreeSet<>(known.getOrDefault(op, Set.of()));
            boolean experimental = EXPERIMENTS.contains(op);
            ours.removeIf(version -> (version > 27 || experimental && version == 1) && !versions.contains(version));
            if (!ours.equals(versions)) {
                differences.add(op + ": " + ours + " instead of " + versions);
            }
            boolean deprecated = versions.stream()
                    .anyMatch(version ->
                            Objects.requireNonNull(Schemas.find(op, version)).deprecated());
            if (cells[4].equals("y") && !deprecated) {
                differences.add(op + " is not deprecated");
            }
        }
        assertThat(differences).isEmpty();
        assertThat(listed).isGreaterThan(600);
    }

    @Test
    void theVersionFoundIsTheLatestNotAfterTheOpset() {
        assertThat(schema("Add", 6).since()).isEqualTo(6);
        assertThat(schema("Add", 12).since()).isEqualTo(7);
        assertThat(schema("Add", 99).since()).isEqualTo(14);
        assertThat(Schemas.find(OpId.onnx("Gelu"), 19)).isNull();
        assertThat(Schemas.firstVersion(OpId.onnx("Gelu"))).isEqualTo(20);
        assertThat(Schemas.find(OpId.onnx("NoSuch"), 19)).isNull();
        assertThat(Schemas.find(new OpId("no.such", "Add"), 19)).isNull();
        assertThat(Schemas.firstVersion(new OpId("no.such", "Add"))).isEqualTo(-1);
    }

    @Test
    void oneBlockIsReadInFull() {
        OperatorSchema conv = schema("Conv", 22);
        assertThat(conv.inputs())
                .extracting(Parameter::name, Parameter::arity)
                .containsExactly(
                        tuple("X", Parameter.Arity.SINGLE),
                        tuple("W", Parameter.Arity.SINGLE),
                        tuple("B", Parameter.Arity.OPTIONAL));
        assertThat(Objects.requireNonNull(conv.constraint("T")).tensors())
                .containsExactlyInAnyOrder(
                        ElementType.FLOAT, ElementType.FLOAT16, ElementType.DOUBLE, ElementType.BFLOAT16);
        assertThat(conv.attribute("group"))
                .isEqualTo(new AttributeSpec("group", AttributeSpec.Kind.INT, false, Attribute.of(1)));
        assertThat(conv.attribute("auto_pad"))
                .isEqualTo(new AttributeSpec("auto_pad", AttributeSpec.Kind.STRING, false, Attribute.of("NOTSET")));
        assertThat(conv.attribute("pads")).isEqualTo(new AttributeSpec("pads", AttributeSpec.Kind.INTS, false, null));
        assertThat(Objects.requireNonNull(schema("Concat", 13).attribute("axis"))
                        .required())
                .isTrue();
        assertThat(schema("Loop", 25).inputs().getLast().least()).isZero();
        assertThat(schema("Loop", 25).inputs().getLast().homogeneous()).isFalse();
        assertThat(OperatorSchema.least(schema("Concat", 13).inputs())).isEqualTo(1);
        assertThat(OperatorSchema.most(schema("Concat", 13).inputs())).isEqualTo(Integer.MAX_VALUE);
        assertThat(Objects.requireNonNull(schema("SequenceInsert", 11).constraint("S"))
                        .others())
                .contains("seq(float)", "seq(string)");
    }

    @Test
    void theEnginesOwnOperatorsAndContextsHaveSchemas() {
        OperatorSchema context = Objects.requireNonNull(Schemas.find(new OpId(OpId.MICROSOFT, "EPContext"), 1));
        assertThat(context.attributes())
                .extracting(AttributeSpec::name)
                .contains("main_context", "ep_cache_context", "embed_mode", "source", "partition_name", "max_size");
        OperatorSchema linear = Objects.requireNonNull(Schemas.find(new OpId(OpId.MILLRACE, "Linear"), 1));
        assertThat(OperatorSchema.least(linear.inputs())).isEqualTo(2);
        assertThat(OperatorSchema.most(linear.inputs())).isEqualTo(4);
    }

    @Test
    void traitsAreThoseOfAllVersionsOfAnOperator() {
        assertThat(Schemas.traits(OpId.onnx("Abs"))).containsExactlyInAnyOrder(Trait.UNARY, Trait.SAME);
        assertThat(Schemas.with(Trait.AT_LEAST_ZERO)).containsExactly(OpId.RELU);
        assertThat(Schemas.has(new OpId(OpId.MICROSOFT, "BiasDropout"), Trait.RANDOM))
                .isTrue();
        assertThat(Schemas.traits(OpId.onnx("NoSuch"))).isEmpty();
        assertThat(Schemas.traits(new OpId("no.such", "Abs"))).isEmpty();
        for (Trait trait : Trait.values()) {
            assertThat(Schemas.with(trait)).as("operators with " + trait).isNotEmpty();
        }
    }

    @Test
    void everyTypeOfAParameterIsAVariableOrAType() {
        for (OperatorSchema schema : Schemas.all()) {
            for (Parameter parameter : schema.inputs()) {
                if (schema.constraint(parameter.type()) == null
                        && parameter.type().indexOf('(') < 0) {
                    assertThat(ElementType.ofName(parameter.type())).isNotNull();
                }
            }
            for (TypeConstraint constraint : schema.constraints()) {
                assertThat(constraint.tensors().size() + constraint.others().size())
                        .as(schema.op() + " " + constraint.variable())
                        .isPositive();
            }
        }
    }
}
