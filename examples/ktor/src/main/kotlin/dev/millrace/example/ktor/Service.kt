package dev.millrace.example.ktor

import dev.millrace.session.Session
import dev.millrace.text.Embedder
import io.ktor.http.HttpStatusCode
import io.ktor.server.application.Application
import io.ktor.server.response.respondText
import io.ktor.server.routing.Route
import io.ktor.server.routing.get
import io.ktor.server.routing.routing

/** The health check for load balancers. */
fun Route.health(session: Session) {
    get("/health") {
        val health = session.health()
        val status = if (health.isAnswering) HttpStatusCode.OK else HttpStatusCode.ServiceUnavailable
        call.respondText("${health.condition()} ${health.troubles().map { it.text() }}", status = status)
    }
}

fun Application.service(
    session: Session,
    embedder: Embedder,
) {
    routing {
        embeddings(embedder)
        health(session)
    }
}
