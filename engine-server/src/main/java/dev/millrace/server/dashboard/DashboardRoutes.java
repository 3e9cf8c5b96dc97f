package dev.millrace.server.dashboard;

import dev.millrace.server.repository.ModelRepository;
import dev.millrace.server.rest.HttpAnswer;
import dev.millrace.server.rest.HttpRouter;
import dev.millrace.session.Engine;
import io.netty.handler.codec.http.HttpMethod;
import java.util.function.BooleanSupplier;
import java.util.function.IntSupplier;
import reactor.core.publisher.Mono;
import reactor.core.scheduler.Schedulers;

/** The routes of the page for operators. The page is the same for everybody; what it shows needs the token. */
public final class DashboardRoutes {
    private final DashboardPage page = new DashboardPage();
    private final DashboardState state;

    /**
     * @param active the requests that are being handled
     * @param ready whether the server takes requests
     */
    public DashboardRoutes(Engine engine, ModelRepository repository, IntSupplier active, BooleanSupplier ready) {
        state = new DashboardState(engine, repository, active, ready);
    }

    public void addTo(HttpRouter router) {
        router.openRoute(
                HttpMethod.GET,
                "ui",
                _ -> Mono.fromSupplier(() -> HttpAnswer.text("text/html; charset=utf-8", page.text(), page.headers())));
        // lists the folders of models
        router.route(
                HttpMethod.GET,
                "ui/state",
                call -> Mono.fromSupplier(() -> HttpAnswer.json(state.tree(call.permissions())))
                        .subscribeOn(Schedulers.boundedElastic()));
    }
}
