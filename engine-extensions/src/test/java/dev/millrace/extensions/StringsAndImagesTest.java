package dev.millrace.extensions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.Status;
import dev.millrace.graph.tensor.ElementType;
import dev.millrace.graph.tensor.Shape;
import dev.millrace.graph.tensor.Tensor;
import java.awt.image.BufferedImage;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.util.List;
import javax.imageio.ImageIO;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class StringsAndImagesTest {
    @ParameterizedTest
    @CsvSource({"StringUpper, éA ", "StringLower, éa ", "StringStrip, éA"})
    void stringsChangeOneByOne(String op, String expected) {
        assertThat(new OneNode(op, 1).input("éA ").run().getFirst().strings()[0].strip())
                .isEqualTo(expected.strip());
    }

    @Test
    void lengthsAreThoseOfUtf16() {
        assertThat(new OneNode("StringLength", 1)
                        .input("abcdef", "水🦀", "")
                        .run()
                        .getFirst()
                        .longs())
                .containsExactly(6, 3, 0);
    }

    @Test
    void stringsAreConcatenatedAndCompared() {
        assertThat(new OneNode("StringConcat", 1)
                        .input("abcd", "efgh")
                        .input("wxyz", "stuv")
                        .run()
                        .getFirst()
                        .strings())
                .containsExactly("abcdwxyz", "efghstuv");
        assertThat(new OneNode("StringEqual", 1)
                        .input("a", "b")
                        .input("b")
                        .run()
                        .getFirst()
                        .booleans())
                .containsExactly(false, true);
        assertThatThrownBy(() -> new OneNode("StringEqual", 1)
                        .input("a", "b", "c")
                        .input("b", "c")
                        .run())
                .hasMessageContaining("3 strings and 2");
    }

    static OneNode join(long axis) {
        return new OneNode("StringJoin", 1)
                .input(Tensor.ofStrings(Shape.of(2, 3), "a", "b", "c", "aa", "bb", ""))
                .input(";")
                .input(Tensor.copyOf(new long[] {axis}, 1));
    }

    @Test
    void stringsAreJoinedAlongAnAxisAsDocumented() {
        assertThat(join(1).run().getFirst().strings()).containsExactly("a;b;c", "aa;bb;");
        assertThat(join(0).run().getFirst().strings()).containsExactly("a;aa", "b;bb", "c;");
        assertThatThrownBy(() -> join(2).run()).hasMessageContaining("axis 2");
        assertThatThrownBy(() -> join((1L << 32) + 1).run()).hasMessageContaining("axis 4294967297");
        Tensor single = new OneNode("StringJoin", 1)
                .input(Tensor.ofStrings(Shape.of(), "a"))
                .input(";")
                .input(Tensor.copyOf(new long[] {0}, 1))
                .run()
                .getFirst();
        assertThat(single.shape()).isEqualTo(Shape.of(1));
        assertThat(single.strings()).containsExactly("a");
    }

    @Test
    void anEmptyStringHasNoPartsEvenIfEmptyOnesAreKept() {
        List<Tensor> split = new OneNode("StringSplit", 3)
                .input("a,,b", "", ",")
                .input(",")
                .input(Tensor.copyOf(new boolean[] {false}, 1))
                .run();
        assertThat(split.get(0).longs()).containsExactly(0, 0, 0, 1, 0, 2, 2, 0, 2, 1);
        assertThat(split.get(1).strings()).containsExactly("a", "", "b", "", "");
        assertThat(split.get(2).longs()).containsExactly(3, 3);
    }

    @Test
    void partsOfStringsAreASparseMatrix() {
        OneNode node = new OneNode("StringSplit", 3)
                .input("a b,c", "", "d")
                .input(", ")
                .input(Tensor.copyOf(new boolean[] {true}, 1));
        List<Tensor> split = node.run();
        assertThat(split.get(0).longs()).containsExactly(0, 0, 0, 1, 0, 2, 2, 0);
        assertThat(split.get(1).strings()).containsExactly("a", "b", "c", "d");
        assertThat(split.get(2).longs()).containsExactly(3, 3);
    }

    @Test
    void aMaskKeepsStrings() {
        assertThat(new OneNode("MaskedFill", 1)
                        .input("a", "b", "c", "d")
                        .input(Tensor.copyOf(new boolean[] {true, false, true, false}, 4))
                        .run()
                        .getFirst()
                        .strings())
                .containsExactly("a", "c");
    }

    @ParameterizedTest
    @CsvSource({"StringRegexReplace, \\1", "StringECMARegexReplace, $1"})
    void patternsAreReplacedAsDocumented(String op, String group) {
        Tensor texts = Tensor.ofStrings(Shape.of(2, 1), "def myfunc():", "def dummy():");
        Tensor made = new OneNode(op, 1)
                .input(texts)
                .input("def\\s+([a-zA-Z_][a-zA-Z_0-9]*)\\s*\\(\\s*\\):")
                .input("static PyObject* py_" + group + "(void) {")
                .run()
                .getFirst();
        assertThat(made.strings())
                .containsExactly("static PyObject* py_myfunc(void) {", "static PyObject* py_dummy(void) {");
        assertThat(made.shape()).isEqualTo(texts.shape());
        OneNode first = new OneNode(op, 1)
                .flag("global_replace", 0)
                .flag("ignore_case", 1)
                .input("xaA")
                .input("a")
                .input("$\\\\");
        assertThat(first.run().getFirst().strings()).containsExactly(op.contains("ECMA") ? "x$\\\\A" : "x$\\A");
        assertThatThrownBy(
                        () -> new OneNode(op, 1).input("a").input("(").input("").run())
                .hasMessageContaining("pattern '('");
    }

    @Test
    void aPatternThatFindsNoEndIsRefused() {
        OneNode endless = new OneNode("StringRegexReplace", 1)
                .input("a".repeat(40) + "b")
                .input("^((a{1,1000}){1,1000}){1,1000}$")
                .input("");
        assertThatThrownBy(endless::run).hasMessageContaining("found no end");
    }

    @Test
    void textsAreSplitWithTheSeparatorsThatAreKept() {
        List<Tensor> split = new OneNode("StringRegexSplitWithOffsets", 3)
                .input("hello there", "a")
                .input("\\s")
                .input("\\s")
                .run();
        assertThat(split.get(0).strings()).containsExactly("hello", " ", "there", "a");
        assertThat(split.get(1).longs()).containsExactly(0, 0, 5, 0, 5, 6, 0, 6, 11, 1, 0, 1);
        assertThat(split.get(2).longs()).containsExactly(0, 3, 4);
        assertThat(new OneNode("StringRegexSplitWithOffsets", 1)
                        .input("a  b")
                        .input("(\\s)")
                        .input("")
                        .run()
                        .getFirst()
                        .strings())
                .containsExactly("a", "b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"ai.onnx.contrib", "com.microsoft.extensions"})
    void anImageIsWrittenAndReadAgain(String domain) {
        byte[] pixels = new byte[2 * 3 * 3];
        for (int i = 0; i < pixels.length; i++) {
            pixels[i] = (byte) (13 * i);
        }
        Tensor image = Tensor.allocate(ElementType.UINT8, Shape.of(2, 3, 3));
        MemorySegment.copy(MemorySegment.ofArray(pixels), 0, image.segment(), 0, pixels.length);
        Tensor file = new OneNode(domain, "EncodeImage", 1)
                .text("format", "png")
                .input(image)
                .run()
                .getFirst();
        assertThat(file.shape().rank()).isEqualTo(1);
        Tensor read = new OneNode(domain, "DecodeImage", 1).input(file).run().getFirst();
        assertThat(read.shape().toArray()).containsExactly(2, 3, 3);
        assertThat(read.segment().mismatch(image.segment())).isEqualTo(-1);
        Tensor turned = new OneNode(domain, "DecodeImage", 1)
                .text("color_space", "rgb")
                .input(file)
                .run()
                .getFirst();
        assertThat(turned.segment().get(ValueLayout.JAVA_BYTE, 0)).isEqualTo(pixels[2]);
        assertThatThrownBy(() -> new OneNode(domain, "DecodeImage", 1)
                        .input(image8(1, 2, 3))
                        .run())
                .hasMessageContaining("no image");
    }

    @ParameterizedTest
    @CsvSource({"10,128", "11,32896"})
    void greyStaysAsItIsStored(int type, int sample) throws IOException {
        var grey = new BufferedImage(1, 1, type);
        grey.getRaster().setSample(0, 0, 0, sample);
        var bytes = new ByteArrayOutputStream();
        ImageIO.write(grey, "png", bytes);
        Tensor file = Tensor.allocate(ElementType.UINT8, Shape.of(bytes.size()));
        MemorySegment.copy(MemorySegment.ofArray(bytes.toByteArray()), 0, file.segment(), 0, bytes.size());
        Tensor pixels = new OneNode("DecodeImage", 1).input(file).run().getFirst();
        assertThat(pixels.segment().toArray(ValueLayout.JAVA_BYTE)).containsOnly(128);
    }

    static Tensor image8(int... bytes) {
        Tensor made = Tensor.allocate(ElementType.UINT8, Shape.of(bytes.length));
        for (int i = 0; i < bytes.length; i++) {
            made.segment().set(ValueLayout.JAVA_BYTE, i, (byte) bytes[i]);
        }
        return made;
    }

    @Test
    void otherOperatorsAreRefusedWithTheListOfThoseThatAreHere() {
        assertThatThrownBy(() -> new OneNode("ImageReader", 1).input("a.png").run())
                .isInstanceOfSatisfying(
                        EngineException.class, e -> assertThat(e.status()).isEqualTo(Status.NOT_IMPLEMENTED))
                .hasMessageContaining("ImageReader")
                .hasMessageContaining("BertTokenizer, HfBertTokenizer");
    }
}
