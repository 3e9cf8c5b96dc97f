package dev.millrace.extensions;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.millrace.graph.EngineException;
import dev.millrace.graph.tensor.Tensor;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TokenizersTest {
    private static final String VOCABULARY = String.join(
            "\n", "[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", "hello", "world", "lou", "##der", "!", "é", "n", "'",
            "t");

    static OneNode bert(String op, int outputs) {
        return new OneNode(op, outputs).text("vocab_file", VOCABULARY);
    }

    @Test
    void bertTokenizesATextAndAPair() {
        List<Tensor> one =
                bert("BertTokenizer", 3).input("Hello  WORLD louder!").run();
        assertThat(one.get(0).longs()).containsExactly(2, 5, 6, 7, 8, 9, 3);
        assertThat(one.get(0).shape().rank()).isEqualTo(1);
        assertThat(one.get(1).longs()).containsOnly(0);
        assertThat(one.get(2).longs()).containsOnly(1).hasSize(7);
        List<Tensor> pair = bert("BertTokenizer", 3).input("hello", "world").run();
        assertThat(pair.get(0).longs()).containsExactly(2, 5, 3, 6, 3);
        assertThat(pair.get(1).longs()).containsExactly(0, 0, 0, 1, 1);
        List<Tensor> cut = bert("BertTokenizer", 1)
                .flag("max_length", 3)
                .input("hello world")
                .run();
        assertThat(cut.getFirst().longs()).containsExactly(2, 5, 3);
    }

    @Test
    void hfBertHasRowsAndTheMaskFirst() {
        List<Tensor> pair = bert("HfBertTokenizer", 3).input("hello", "world").run();
        assertThat(pair.get(0).shape().toArray()).containsExactly(1, 5);
        assertThat(pair.get(1).longs()).containsOnly(1);
        assertThat(pair.get(2).longs()).containsExactly(0, 0, 0, 1, 1);
        assertThat(bert("HfBertTokenizer", 1).input("hello").run()).hasSize(1);
    }

    @Test
    void casesAndAccentsFollowTheAttributes() {
        assertThat(ids(bert("BertTokenizer", 1).flag("do_lower_case", 0).input("Hello")))
                .containsExactly(2, 1, 3);
        assertThat(ids(bert("BertTokenizer", 1).input("É"))).containsExactly(2, 10, 3);
        assertThat(ids(bert("BertTokenizer", 1).flag("strip_accents", 1).input("é")))
                .containsExactly(2, 1, 3);
    }

    private static long[] ids(OneNode node) {
        return node.run().getFirst().longs();
    }

    @Test
    void bertDecodesTokensAndPartsOfThem() {
        Tensor ids = Tensor.copyOf(new long[] {2, 5, 7, 8, 9, 3}, 6);
        assertThat(bert("BertTokenizerDecoder", 1)
                        .flag("skip_special_tokens", 1)
                        .input(ids)
                        .run()
                        .getFirst()
                        .strings())
                .containsExactly("hello louder!");
        assertThat(bert("BertTokenizerDecoder", 1)
                        .flag("use_indices", 1)
                        .input(ids)
                        .input(Tensor.copyOf(new long[] {1, 2, 2, 4}, 2, 2))
                        .run()
                        .getFirst()
                        .strings())
                .containsExactly("hello", "louder");
        assertThatThrownBy(() -> bert("BertTokenizerDecoder", 1)
                        .input(Tensor.copyOf(new long[] {99}, 1))
                        .run())
                .hasMessageContaining("token 99 is none of the 14");
    }

    private static final String PAIRS = """
        {"<s>": 0, "<pad>": 1, "</s>": 2, "h": 3, "e": 4, "y": 5, "he": 6, "hey": 7, "\u0120": 8, "\u0120hey": 9,
         "<|startoftext|>": 10, "<|endoftext|>": 11, "y</w>": 12, "hey</w>": 13, "e</w>": 14, "h</w>": 15}
        """;

    static OneNode pairs(String op) {
        return new OneNode(op, 2)
                .text("vocab", PAIRS)
                .text("merges", "#version: 0.2\nh e\nhe y\n\u0120 hey\nhe y</w>\n");
    }

    @Test
    void bytePairsArePaddedToTheLongestTextOrALength() {
        List<Tensor> rows = pairs("GPT2Tokenizer").input("hey hey", "he").run();
        assertThat(rows.get(0).longs()).containsExactly(7, 9, 6, 0);
        assertThat(rows.get(1).longs()).containsExactly(1, 1, 1, 0);
        List<Tensor> fixed =
                pairs("GPT2Tokenizer").flag("padding_length", 3).input("hey").run();
        assertThat(fixed.getFirst().shape().toArray()).containsExactly(1, 3);
        assertThat(fixed.get(0).longs()).containsExactly(7, 0, 0);
    }

    @Test
    void robertaAndClipFrameTexts() {
        assertThat(pairs("RobertaTokenizer")
                        .input("hey hey", "he")
                        .run()
                        .getFirst()
                        .longs())
                .containsExactly(0, 7, 9, 2, 0, 6, 2, 1);
        assertThat(pairs("CLIPTokenizer").input("Hey  HEY").run().getFirst().longs())
                .containsExactly(10, 13, 13, 11);
    }

    @Test
    void wordsAreDividedAsDocumented() {
        String vocabulary = """
            {"want": 10, "##want": 11, "##ed": 12, "wa": 13, "un": 14, "runn": 15, "##ing": 16}\
            """;
        List<Tensor> divided = new OneNode("WordpieceTokenizer", 3)
                .text("vocab", vocabulary)
                .text("suffix_indicator", "##")
                .text("unk_token", "[UNK]")
                .input("unwanted", "running", "unwantedX", "running")
                .input(Tensor.copyOf(new long[] {0, 2, 4}, 3))
                .run();
        assertThat(divided.get(0).strings())
                .containsExactly(
                        "un", "##want", "##ed", "runn", "##ing", "un", "##want", "##ed", "[UNK]", "runn", "##ing");
        assertThat(divided.get(1).ints()).containsExactly(14, 11, 12, 15, 16, 14, 11, 12, -1, 15, 16);
        assertThat(divided.get(2).longs()).containsExactly(0, 5, 11);
    }

    /** A unigram model file with these pieces. */
    private static byte[] unigrams(Object... pieces) {
        var file = new ByteArrayOutputStream();
        for (int i = 0; i < pieces.length; i += 3) {
            byte[] text = OneNode.utf8((String) pieces[i]);
            ByteBuffer piece = ByteBuffer.allocate(text.length + 9).order(ByteOrder.LITTLE_ENDIAN);
            piece.put((byte) 0x0a).put((byte) text.length).put(text);
            piece.put((byte) 0x15).putFloat(((Number) pieces[i + 1]).floatValue());
            piece.put((byte) 0x18).put(((Number) pieces[i + 2]).byteValue());
            file.write(0x0a);
            file.write(piece.capacity());
            file.writeBytes(piece.array());
        }
        return file.toByteArray();
    }

    /** A model of byte pairs: pieces by their ranks. */
    static OneNode sentencePairs() {
        var file = new ByteArrayOutputStream();
        file.writeBytes(unigrams(
                "<unk>",
                0,
                2,
                "<s>",
                0,
                3,
                "</s>",
                0,
                3,
                "lo",
                0,
                1,
                "\u2581h",
                -1,
                1,
                "el",
                -2,
                1,
                "\u2581hel",
                -3,
                1,
                "\u2581hello",
                -4,
                1,
                "\u2581",
                -5,
                1,
                "h",
                -6,
                1,
                "e",
                -7,
                1,
                "l",
                -8,
                1,
                "o",
                -9,
                1,
                "w",
                -10,
                1));
        // the type of the trainer
        file.writeBytes(new byte[] {0x12, 2, 0x18, 2});
        return new OneNode("SentencepieceTokenizer", 2).bytes("model", file.toByteArray());
    }

    @Test
    void bytePairsOfSentencePieceAreMergedBestFirst() {
        assertThat(sentencePairs().input("hello").run().getFirst().ints()).containsExactly(7);
        // "lo" comes before "el"; what no piece has becomes one unknown piece
        assertThat(sentencePairs().input("elo yy").run().getFirst().ints()).containsExactly(8, 10, 3, 8, 0);
        assertThat(sentencePairs().input("").run().getFirst().ints()).isEmpty();
    }

    static OneNode sentencePieces() {
        return new OneNode("SentencepieceTokenizer", 2)
                .bytes(
                        "model",
                        unigrams(
                                "<unk>",
                                0,
                                2,
                                "<s>",
                                0,
                                3,
                                "</s>",
                                0,
                                3,
                                "\u2581hello",
                                -1,
                                1,
                                "\u2581",
                                -3,
                                1,
                                "wor",
                                -2,
                                1,
                                "ld",
                                -2,
                                1,
                                "\u2581world",
                                -2.5,
                                1));
    }

    @Test
    void sentencePiecesAreTheMostLikely() {
        List<Tensor> tokens =
                sentencePieces().input("hello  world ", "hellowor").run();
        assertThat(tokens.get(0).ints()).containsExactly(3, 7, 3, 5);
        assertThat(tokens.get(1).longs()).containsExactly(0, 2, 4);
        List<Tensor> framed = sentencePieces()
                .input("hello world")
                .input(Tensor.copyOf(new long[] {0}, 1))
                .input(Tensor.copyOf(new float[] {0}, 1))
                .input(Tensor.copyOf(new boolean[] {true}, 1))
                .input(Tensor.copyOf(new boolean[] {true}, 1))
                .input(Tensor.copyOf(new boolean[] {true}, 1))
                .run();
        assertThat(framed.get(0).ints()).containsExactly(2, 7, 3, 1);
        assertThatThrownBy(() -> sentencePieces()
                        .input("hello")
                        .input(Tensor.copyOf(new long[] {5}, 1))
                        .run())
                .hasMessageContaining("nbest_size of 5");
    }

    @Test
    void aDamagedModelFileIsNamed() {
        byte[] whole = unigrams("<unk>", 0, 2, "a", -1, 1);
        for (int length = 1; length < whole.length; length++) {
            byte[] cut = Arrays.copyOf(whole, length);
            var node =
                    new OneNode("SentencepieceTokenizer", 2).bytes("model", cut).input("a");
            try {
                node.run();
            } catch (EngineException e) {
                assertThat(e).hasMessageContaining("SentencepieceTokenizer");
            }
        }
    }

    @Test
    void aTokenizerFileIsAnOperator() {
        String json = """
            {"model": {"type": "WordLevel", "unk_token": "b", "vocab": {"a": 0, "b": 1}},
             "pre_tokenizer": {"type": "Whitespace"}}\
            """;
        List<Tensor> tokens = new OneNode("HfJsonTokenizer", 2)
                .text("tokenizer_vocab", json)
                .input("a b a", "a")
                .run();
        assertThat(tokens.get(0).longs()).containsExactly(0, 1, 0, 0, 0, 0);
        assertThat(tokens.get(1).longs()).containsExactly(1, 1, 1, 1, 0, 0);
    }

    @Test
    void bytesBecomeTextAgain() {
        String bytes = IntStream.range(0, 128).mapToObj(i -> i + "\t" + i).collect(Collectors.joining("\n"));
        OneNode decoder = new OneNode("BpeDecoder", 1)
                .text("id_vocab", "\u0120he\ny\n\u00c3\n\u00a9\nend")
                .text("byte_decoder", bytes + "\n288\t32\n195\t195\n169\t169")
                .text("added_tokens", "<end>\t4")
                .text("all_special_ids", "4")
                .flag("skip_special_tokens", 1)
                .input(Tensor.copyOf(new long[] {0, 1, 4, 2, 3, 4}, 2, 3));
        assertThat(decoder.run().getFirst().strings()).containsExactly(" hey", "é");
    }

    @Test
    void aBrokenVocabularyIsRefusedWithTheNode() {
        assertThatThrownBy(() -> new OneNode("BertTokenizer", 1)
                        .text("vocab_file", "a\nb")
                        .input("a")
                        .run())
                .hasMessageContaining("BertTokenizer")
                .hasMessageContaining("'[SEP]'");
        assertThatThrownBy(() ->
                        pairs("GPT2Tokenizer").text("vocab", "{").input("a").run())
                .hasMessageContaining("GPT2Tokenizer")
                .hasMessageContaining("vocabulary");
    }
}
