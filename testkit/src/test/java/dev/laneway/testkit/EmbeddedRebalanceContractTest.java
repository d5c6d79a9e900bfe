package dev.laneway.testkit;

import org.junit.jupiter.api.DisplayName;

@DisplayName("Contract on a real broker: rebalances")
class EmbeddedRebalanceContractTest extends RebalanceContract {
    @Override
    public ContractCluster connect() {
        return new EmbeddedContractCluster(EmbeddedKafka.shared());
    }
}
