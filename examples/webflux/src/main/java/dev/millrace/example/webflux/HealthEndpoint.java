package dev.millrace.example.webflux;

import dev.millrace.session.Health;
import dev.millrace.session.Session;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The health check for load balancers. */
@RestController
class HealthEndpoint {
    private final Session session;

    HealthEndpoint(Session session) {
        this.session = session;
    }

    @GetMapping("/health")
    ResponseEntity<Health> health() {
        Health health = session.health();
        HttpStatus status = health.isAnswering() ? HttpStatus.OK : HttpStatus.SERVICE_UNAVAILABLE;
        return ResponseEntity.status(status).body(health);
    }
}
