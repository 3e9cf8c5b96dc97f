package dev.millrace.kotlin

import dev.millrace.graph.tensor.ElementType.FLOAT
import dev.millrace.graph.tensor.ElementType.INT64
import dev.millrace.graph.tensor.Tensor
import dev.millrace.kotlin.graph.GraphScope
import dev.millrace.kotlin.graph.GraphValue
import dev.millrace.kotlin.graph.conv
import dev.millrace.kotlin.graph.gather
import dev.millrace.kotlin.graph.graph
import dev.millrace.kotlin.graph.mean
import dev.millrace.kotlin.graph.reshape
import dev.millrace.kotlin.graph.save
import dev.millrace.kotlin.graph.sigmoid
import dev.millrace.kotlin.graph.transpose
import dev.millrace.text.Tokenizer
import java.nio.file.Files
import java.nio.file.Path
import kotlin.io.path.writeText

/** Small models with the inputs and outputs that recipes expect, in a folder. */
class RecipeModels(
    private val folder: Path,
) {
    private fun save(
        name: String,
        write: GraphScope.() -> Unit,
    ): Path = folder.resolve(name).also { graph("made", write = write).save(it) }

    /** A value that does not depend on the input. */
    private fun GraphScope.always(
        input: GraphValue,
        vararg shape: Long,
        values: FloatArray,
    ): GraphValue = constant(Tensor.copyOf(values, *shape)) + reshape(mean(input), *LongArray(shape.size) { 1 }) * 0f

    /** The means of red, green and blue. */
    fun colours(): Path =
        save("colours.onnx") { output("logits", reshape(mean(input("x", FLOAT, 1, 3, 224, 224), 2, 3), 1, 3)) }

    /** One box, which is of the second class. */
    fun boxes(): Path =
        save("boxes.onnx") {
            val x = input("x", FLOAT, 1, 3, 640, 640)
            output("boxes", always(x, 1, 6, 1, values = floatArrayOf(320f, 320f, 100f, 60f, 0.1f, 0.9f)))
        }

    /** The models of a reader of pages: white is text, which reads `hi`. */
    fun reader(): Path {
        save("det.onnx") { output("map", sigmoid(mean(input("x", FLOAT, 1, 3, "height", "width"), 1) * 10f)) }
        save("cls.onnx") { output("p", always(input("x", FLOAT, 1, 3, 48, 192), 1, 2, values = floatArrayOf(1f, 0f))) }
        save("rec.onnx") {
            val x = input("x", FLOAT, 1, 3, 48, "width")
            output("p", always(x, 1, 3, 3, values = floatArrayOf(0f, 1f, 0f, 1f, 0f, 0f, 0f, 0f, 1f)))
        }
        folder.resolve("keys.txt").writeText("h\ni\n")
        return folder
    }

    /** Speech is loud. */
    fun voice(): Path =
        save("voice.onnx") {
            val x = input("input", FLOAT, 1, 576)
            val state = input("state", FLOAT, 2, 1, 128)
            input("sr", INT64)
            output("output", reshape(mean(op("Abs", x)), 1, 1))
            output("stateN", op("Identity", state))
        }

    /** A wake word is loud. */
    fun wake(): Path {
        save("melspectrogram.onnx") {
            val x = input("input", FLOAT, 1, "samples")
            val weights = constant(Tensor.copyOf(FloatArray(32 * 512) { 1f / 512 / 32768 }, 32, 1, 512))
            val means = conv(reshape(x, 1, 1, -1), weights, strides = longArrayOf(160))
            output("mels", reshape(transpose(means, 0, 2, 1), 1, 1, -1, 32) * 10f - 20f)
        }
        save("embedding_model.onnx") {
            val x = input("input_1", FLOAT, 1, 76, 32, 1)
            output("embedding", mean(x) * constant(Tensor.copyOf(FloatArray(96) { 1f }, 1, 1, 1, 96)))
        }
        save("hey_jarvis.onnx") { output("score", reshape(mean(input("x", FLOAT, 1, 16, 96)), 1, 1)) }
        return folder
    }

    private val words = listOf("the", "mill", "runs", "</s>", "bot", "other")

    fun tokenizer(): Tokenizer {
        val vocabulary = words.withIndex().joinToString { (id, word) -> "\"$word\": $id" }
        folder.resolve("tokenizer.json").writeText(
            """
            {"model": {"type": "WordLevel", "unk_token": "other", "vocab": {$vocabulary}},
             "pre_tokenizer": {"type": "Whitespace"},
             "added_tokens": [{"id": 3, "content": "</s>", "special": true}]}
            """.trimIndent(),
        )
        return Tokenizer.read(folder.resolve("tokenizer.json")).paddedTo(0)
    }

    private fun GraphScope.looked(vararg rows: FloatArray): GraphValue =
        gather(constant(arrayOf(*rows)), input("input_ids", INT64, "batch", "sequence"))

    /** Each word has a direction of its own. */
    fun vectors(): Path =
        save("vectors.onnx") {
            output(
                "hidden",
                looked(
                    *Array(words.size) { row ->
                        FloatArray(6) {
                            if (it ==
                                row
                            ) {
                                1f
                            } else {
                                0f
                            }
                        }
                    },
                ),
            )
        }

    /** The more `mill`, the more relevant. */
    fun relevance(): Path =
        save("relevance.onnx") {
            val scores = looked(*Array(words.size) { floatArrayOf(if (words[it] == "mill") 1f else 0f) })
            output("logits", reshape(mean(scores, 1), -1, 1))
        }

    /** A folder of a language model that says `the mill runs` after any other word. */
    fun language(): Path {
        tokenizer()
        folder.resolve("chat_template.jinja").writeText("{% for m in messages %}{{ m.content }} {% endfor %}bot")
        folder.resolve("config.json").writeText("""{"eos_token_id": 3}""")
        val next = intArrayOf(1, 2, 3, 3, 0, 5)
        save("model.onnx") {
            output(
                "logits",
                looked(
                    *Array(6) { row ->
                        FloatArray(6) {
                            if (it ==
                                next[row]
                            ) {
                                1f
                            } else {
                                0f
                            }
                        }
                    },
                ),
            )
        }
        return folder
    }

    /** A folder of models to serve. */
    fun repository(): Path {
        Files.createDirectories(folder.resolve("served/double/1"))
        save("served/double/1/model.onnx") {
            val x = input("x", FLOAT, "n")
            output("y", x + x)
        }
        return folder.resolve("served")
    }
}
