package dev.millrace.providers.cpu.product;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.millrace.graph.tensor.ByteLayouts;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import dev.millrace.providers.cpu.OneNode;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

@Timeout(30)
class EinsumTest {
    private final Random random = new Random(3);

    private Tensor of(String dims) {
        long[] extents = Stream.of(dims.split("x")).mapToLong(Long::parseLong).toArray();
        Tensor tensor = Tensor.allocate(ElementType.DOUBLE, Shape.of(extents));
        for (long i = 0; i < tensor.elements(); i++) {
            tensor.segment().set(ByteLayouts.DOUBLE, i * 8, random.nextInt(-3, 4));
        }
        return tensor;
    }

    private static Tensor einsum(String equation, Tensor... inputs) {
        return OneNode.onnx("Einsum", 12).with("equation", equation).run(inputs);
    }

    /** Computes an Einsum by its definition, as one nest of loops over all letters. */
    private static double[] defined(String equation, Tensor... inputs) {
        Shape[] shapes = Stream.of(inputs).map(Tensor::shape).toArray(Shape[]::new);
        EinsumEquation parsed = EinsumEquation.parse(equation, shapes);
        var extents = new TreeMap<String, Long>();
        for (int i = 0; i < inputs.length; i++) {
            for (int axis = 0; axis < shapes[i].rank(); axis++) {
                extents.merge(parsed.inputs().get(i).get(axis), shapes[i].dim(axis), Math::max);
            }
        }
        Shape output = Shape.of(parsed.output().stream().mapToLong(extents::get).toArray());
        double[] result = new double[(int) output.elements()];
        long places = extents.values().stream().reduce(1L, Math::multiplyExact);
        for (long place = 0; place < places; place++) {
            var at = new TreeMap<String, Long>();
            long rest = place;
            for (var letter : extents.entrySet()) {
                at.put(letter.getKey(), rest % letter.getValue());
                rest /= letter.getValue();
            }
            double product = 1;
            for (int i = 0; i < inputs.length; i++) {
                product *= inputs[i].doubles()[offset(parsed.inputs().get(i), shapes[i], at)];
            }
            result[offset(parsed.output(), output, at)] += product;
        }
        return result;
    }

    private static int offset(List<String> letters, Shape shape, Map<String, Long> at) {
        long offset = 0;
        for (int axis = 0; axis < shape.rank(); axis++) {
            offset = offset * shape.dim(axis) + (shape.dim(axis) == 1 ? 0 : at.getOrDefault(letters.get(axis), 0L));
        }
        return (int) offset;
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ab,bc,cd->ad|2x3|3x4|4x5",
                "ab,bc,cd->|2x3|3x4|4x5",
                "ab,cd,bc->ac|2x3|4x5|3x4",
                "ii,ij,jk->ik|3x3|3x4|4x2",
                "ab,ab,ab->ab|2x3|2x3|2x3",
                "ab,bc,bd->acd|2x3|1x4|3x5",
                "ab,bc,b->ca|2x1|3x4|3",
                "...ij,jk,...k->...i|2x3x4|4x5|2x5",
                "...a,b...,...->ab...|3x2|4x3|3",
                "a,b,c->cab|2|3|4",
                "i,j,k|2|3|4",
                "ab,bc,ca|2x3|3x4|4x2"
            })
    void threeOperandsAreContractedToWhatTheirDefinitionSays(String equation, String a, String b, String c) {
        Tensor[] inputs = {of(a), of(b), of(c)};
        assertThat(einsum(equation, inputs).doubles()).containsExactly(defined(equation, inputs));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "ij,jk->ik|2x3|3x4",
                "ij,kl->|2x3|3x4",
                "i,i->|3|3",
                "ij,j->ji|2x3|3",
                "ij,k->i|2x1|3",
                "i,i->i|1500|1500",
                "i,ij->j|3|3x1500",
                "ij,ij->i|2x1500|2x1500",
                "ij,jk->ik|35x3|3x260",
                "bji,bjk->bik|2x67x5|2x67x4",
                "jk,ij->ik|6x7|33x6",
                "ij,abjk->abik|5x3|2x2x3x4",
                "ij,jlk->ilk|2x3|3x4x5",
                "ijl,jlk->ik|3x4x20|4x20x6"
            })
    void twoOperandsAreContractedToWhatTheirDefinitionSays(String equation, String a, String b) {
        Tensor[] inputs = {of(a), of(b)};
        assertThat(einsum(equation, inputs).doubles()).containsExactly(defined(equation, inputs));
    }

    @Test
    void integersAreContractedAsIntegers() {
        Tensor a = Tensor.copyOf(new long[] {1L << 56, 3}, 2);
        Tensor b = Tensor.copyOf(new long[] {1, 5}, 2);
        assertThat(einsum("i,i,i->", a, b, b).longs()).containsExactly((1L << 56) + 75);
        assertThat(einsum("i,j,k->", a, b, b).longs()).containsExactly(((1L << 56) + 3) * 36);
    }

    @Test
    void sixLongOperandsTakeNoLongerThanTheirSums() {
        float[] ones = new float[1000];
        Arrays.fill(ones, 1);
        Tensor x = Tensor.copyOf(ones, 1000);
        assertThat(einsum("a,b,c,d,e,f->", x, x, x, x, x, x).floats()[0]).isEqualTo(1e18f, within(1e12f));
        Tensor square = Tensor.copyOf(new float[100 * 100], 100, 100);
        assertThat(einsum("ab,bc,cd,de,ef,fg->ag", square, square, square, square, square, square)
                        .elements())
                .isEqualTo(10_000);
    }
}
