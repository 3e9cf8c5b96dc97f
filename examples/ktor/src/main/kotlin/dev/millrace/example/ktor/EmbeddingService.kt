package dev.millrace.example.ktor

import dev.millrace.session.Engine
import dev.millrace.text.Embedder
import dev.millrace.text.Tokenizer
import io.ktor.http.ContentType
import io.ktor.server.cio.CIO
import io.ktor.server.engine.embeddedServer
import io.ktor.server.request.receiveChannel
import io.ktor.server.response.respondBytesWriter
import io.ktor.server.routing.Route
import io.ktor.server.routing.post
import io.ktor.utils.io.readLine
import io.ktor.utils.io.writeStringUtf8
import kotlinx.coroutines.flow.flow
import kotlinx.coroutines.reactive.collect
import kotlinx.coroutines.reactor.asFlux
import java.nio.file.Path

fun Route.embeddings(embedder: Embedder) {
    post("/embeddings") {
        val lines = call.receiveChannel()
        val texts = flow { while (true) emit(lines.readLine() ?: break) }
        call.respondBytesWriter(ContentType("application", "x-ndjson")) {
            embedder.flux(texts.asFlux()).collect { vector ->
                writeStringUtf8(vector.joinToString(",", "[", "]\n"))
                flush()
            }
        }
    }
}

fun main(files: Array<String>) {
    val session = Engine.create().session(Path.of(files[0]))
    val embedder = Embedder.of(session, Tokenizer.read(Path.of(files[1])).paddedTo(0))
    embeddedServer(CIO, port = 8080) { service(session, embedder) }.start(wait = true)
}
