package dev.millrace.kotlin

import dev.millrace.pipelines.audio.AudioClip
import dev.millrace.pipelines.audio.VoiceSegment
import dev.millrace.pipelines.image.ImageInput
import dev.millrace.pipelines.image.RgbImage
import dev.millrace.pipelines.imageio.ImageFiles
import dev.millrace.server.ModelServer
import dev.millrace.server.ServerOptions
import dev.millrace.session.BatchOptions
import dev.millrace.session.Engine
import dev.millrace.session.Inputs
import dev.millrace.session.ReplaceableSession
import dev.millrace.session.Session
import dev.millrace.text.Embedder
import dev.millrace.text.LanguageModel
import dev.millrace.text.Tokenizer
import kotlinx.coroutines.async
import kotlinx.coroutines.awaitAll
import kotlinx.coroutines.coroutineScope
import kotlinx.coroutines.flow.Flow
import kotlinx.coroutines.flow.map
import kotlinx.coroutines.flow.toList
import java.nio.file.Files
import java.nio.file.Path

/** The recipes of the guide, word for word. RecipesTest runs each of them. */
fun labels(
    file: String,
    names: List<String>,
    picture: Path,
): List<String> =
    model(file).use { session ->
        session.imageClassifier(names, top = 3)(ImageFiles.read(picture)).map { "${it.label()} ${it.score()}" }
    }

fun objects(
    session: Session,
    names: List<String>,
    frames: Flow<RgbImage>,
): Flow<String> {
    val detector = session.yolo(names, ImageInput.of(640, 640).letterboxed(114))
    return frames.infer(detector).map { found -> found.joinToString { "${it.label()} at ${it.box()}" } }
}

suspend fun page(
    engine: Engine,
    folder: Path,
    picture: Path,
): List<String> =
    engine.session(folder.resolve("det.onnx")).use { detection ->
        engine.session(folder.resolve("cls.onnx")).use { direction ->
            engine.session(folder.resolve("rec.onnx")).use { recognition ->
                val characters = Files.readAllLines(folder.resolve("keys.txt"))
                val reader = textReader(detection, direction, recognition, characters)
                reader.infer(ImageFiles.read(picture)).map { it.text() }
            }
        }
    }

fun speech(
    session: Session,
    microphone: Flow<FloatArray>,
): Flow<String> = microphone.segments(session.voiceDetector()).map { "${it.startSeconds()} to ${it.endSeconds()}" }

fun speechInFile(
    session: Session,
    sound: Path,
): List<VoiceSegment> = session.voiceDetector()(AudioClip.read(sound))

fun wakeUps(
    engine: Engine,
    folder: Path,
    microphone: Flow<FloatArray>,
): Flow<String> {
    val (mel, embedding, jarvis) =
        listOf(
            "melspectrogram.onnx",
            "embedding_model.onnx",
            "hey_jarvis.onnx",
        ).map { engine.session(folder.resolve(it)) }
    return microphone.detections(wakeWords(mel, embedding, "hey jarvis" to jarvis)).map {
        "${it.word()} at ${it.seconds()}"
    }
}

suspend fun similar(
    session: Session,
    tokenizer: Tokenizer,
    query: String,
    texts: Flow<String>,
): List<String> {
    val embedder = session.embedder(tokenizer)
    val asked = embedder.embedding(query)
    val all = texts.toList()
    val vectors = texts.embeddings(embedder).toList()
    return all.indices.sortedByDescending { Embedder.dot(asked, vectors[it]) }.map { all[it] }
}

suspend fun ranked(
    session: Session,
    tokenizer: Tokenizer,
    query: String,
    passages: List<String>,
): List<String> = session.crossEncoder(tokenizer).ranked(query, passages).map { it.text() }

suspend fun talk(
    folder: Path,
    question: String,
    say: (String) -> Unit,
) {
    LanguageModel.open(folder).use { model ->
        model.chat().deltas(question).collect { say(it.text) }
    }
}

suspend fun story(
    service: ReplaceableSession,
    tokenizer: Tokenizer,
    beginning: String,
): String =
    service
        .textGenerator(tokenizer)
        .pieces(beginning)
        .toList()
        .joinToString("")

suspend fun together(
    session: Session,
    requests: List<Inputs>,
): List<FloatArray> =
    coroutineScope {
        val batched = session.batched(BatchOptions.defaults())
        requests.map { async { batched.infer(it).use { outputs -> outputs[0].floats() } } }.awaitAll()
    }

fun server(models: Path): ModelServer =
    ModelServer.start(
        ServerOptions
            .builder()
            .repositories(models)
            .httpPort(0)
            .grpcPort(0)
            .metricsPort(0)
            .build(),
    )
