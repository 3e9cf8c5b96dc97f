package dev.millrace.kotlin

import dev.millrace.pipelines.image.RgbImage
import dev.millrace.session.ReplaceableSession
import kotlinx.coroutines.flow.asFlow
import kotlinx.coroutines.flow.flowOf
import kotlinx.coroutines.flow.toList
import kotlinx.coroutines.runBlocking
import org.assertj.core.api.Assertions.assertThat
import org.junit.jupiter.api.AfterEach
import org.junit.jupiter.api.Test
import org.junit.jupiter.api.io.TempDir
import java.awt.Color
import java.awt.image.BufferedImage
import java.net.URI
import java.net.http.HttpClient
import java.net.http.HttpRequest
import java.net.http.HttpResponse
import java.nio.ByteBuffer
import java.nio.ByteOrder
import java.nio.file.Files
import java.nio.file.Path
import javax.imageio.ImageIO
import kotlin.io.path.writeBytes

/** Tests that each recipe of the guide runs, on models that are made here. */
class RecipesTest {
    @TempDir
    private lateinit var folder: Path

    private val engine = engine { threads = 1 }
    private val models by lazy { RecipeModels(folder) }

    @AfterEach
    fun close() = engine.close()

    private fun picture(paint: (BufferedImage) -> Unit): Path {
        val image = BufferedImage(320, 320, BufferedImage.TYPE_INT_RGB)
        paint(image)
        return folder.resolve("picture.png").also { ImageIO.write(image, "png", it.toFile()) }
    }

    private fun filled(
        image: BufferedImage,
        colour: Color,
        height: Int,
    ) {
        val graphics = image.createGraphics()
        graphics.color = colour
        graphics.fillRect(60, 60, 200, height)
        graphics.dispose()
    }

    @Test
    fun `an image gets labels`() {
        val red = picture { filled(it, Color.RED, 200) }
        assertThat(labels(models.colours().toString(), listOf("red", "green", "blue"), red).first()).startsWith("red ")
    }

    @Test
    fun `frames get objects`() =
        runBlocking<Unit> {
            engine.session(models.boxes()).use { session ->
                val frames = List(3) { RgbImage.filled(640, 480, 0) }.asFlow()
                val found = objects(session, listOf("cat", "dog"), frames).toList()
                assertThat(found).hasSize(3).allMatch { it.startsWith("dog at ") }
            }
        }

    @Test
    fun `a page is read`() =
        runBlocking<Unit> {
            val page = picture { filled(it, Color.WHITE, 40) }
            assertThat(page(engine, models.reader(), page)).containsExactly("hi")
        }

    private fun loud(): FloatArray = FloatArray(4 * RATE) { if (it in RATE..<3 * RATE) 0.9f else 0f }

    private fun microphone() = loud().toList().chunked(1000) { it.toFloatArray() }.asFlow()

    @Test
    fun `speech has segments`() =
        runBlocking<Unit> {
            engine.session(models.voice()).use { session ->
                val heard = speech(session, microphone()).toList()
                assertThat(heard).hasSize(1).allMatch { it.startsWith("0.9") || it.startsWith("1.0") }
                val wav = folder.resolve("sound.wav").also { it.writeBytes(wav(loud())) }
                assertThat(speechInFile(session, wav)).hasSize(1)
            }
        }

    private fun wav(samples: FloatArray): ByteArray {
        val bytes = ByteBuffer.allocate(44 + 2 * samples.size).order(ByteOrder.LITTLE_ENDIAN)
        bytes
            .put("RIFF".toByteArray())
            .putInt(36 + 2 * samples.size)
            .put("WAVEfmt ".toByteArray())
            .putInt(16)
        bytes
            .putShort(1)
            .putShort(1)
            .putInt(RATE)
            .putInt(2 * RATE)
            .putShort(2)
            .putShort(16)
        bytes.put("data".toByteArray()).putInt(2 * samples.size)
        samples.forEach { bytes.putShort((it * Short.MAX_VALUE).toInt().toShort()) }
        return bytes.array()
    }

    @Test
    fun `a wake word is heard`() =
        runBlocking<Unit> {
            val heard = wakeUps(engine, models.wake(), microphone()).toList()
            assertThat(heard).isNotEmpty().allMatch { it.startsWith("hey jarvis at ") }
        }

    @Test
    fun `similar texts are found`() =
        runBlocking<Unit> {
            engine.session(models.vectors()).use { session ->
                val found =
                    similar(session, models.tokenizer(), "mill", flowOf("the bot", "the mill runs", "mill mill the"))
                assertThat(found).containsExactly("mill mill the", "the mill runs", "the bot")
            }
        }

    @Test
    fun `passages are ranked`() =
        runBlocking<Unit> {
            engine.session(models.relevance()).use { session ->
                val passages = listOf("the bot runs", "mill mill mill", "the mill runs")
                assertThat(ranked(session, models.tokenizer(), "runs", passages))
                    .containsExactly("mill mill mill", "the mill runs", "the bot runs")
            }
        }

    @Test
    fun `a chat streams its answer`() =
        runBlocking<Unit> {
            val said = StringBuilder()
            talk(models.language(), "other") { said.append(it) }
            assertThat(said.toString()).isEqualTo("the mill runs")
        }

    @Test
    fun `a replaceable model tells a story`() =
        runBlocking<Unit> {
            models.language()
            ReplaceableSession.of(engine.session(folder.resolve("model.onnx"))).use { service ->
                assertThat(story(service, models.tokenizer(), "the")).startsWith(" mill runs")
            }
        }

    @Test
    fun `requests run together`() =
        runBlocking<Unit> {
            val file = models.repository().resolve("double/1/model.onnx")
            engine.session(file).use { session ->
                val answers = together(session, List(20) { inputs("x" to floatArrayOf(it.toFloat())) })
                assertThat(answers.map { it[0] }).isEqualTo(List(20) { 2f * it })
            }
        }

    @Test
    fun `a server answers`() {
        server(models.repository()).use { server ->
            val ready = URI.create("http://127.0.0.1:${server.httpPort()}/v2/models/double/ready")
            HttpClient.newHttpClient().use { client ->
                val answer = client.send(HttpRequest.newBuilder(ready).build(), HttpResponse.BodyHandlers.discarding())
                assertThat(answer.statusCode()).isEqualTo(200)
            }
        }
    }

    @Test
    fun `the guide has the recipes word for word`() {
        val guide = Files.readString(Path.of("../docs/guide/kotlin-recipes.md"))
        val here = bare(Files.readString(Path.of("src/test/kotlin/dev/millrace/kotlin/Recipes.kt")))
        val examples = Regex("```kotlin\\n(.*?)```", RegexOption.DOT_MATCHES_ALL).findAll(guide).toList()
        assertThat(examples).hasSizeGreaterThan(9).allSatisfy { assertThat(here).contains(bare(it.groupValues[1])) }
    }

    private fun bare(text: String): String = text.filterNot { it.isWhitespace() }.replace(",)", ")")

    private companion object {
        const val RATE = 16000
    }
}
