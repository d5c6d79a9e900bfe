package dev.laneway.testkit.sim;

import dev.laneway.testkit.ContractCluster;
import dev.laneway.testkit.FetchContract;
import org.junit.jupiter.api.DisplayName;

@DisplayName("Contract on the simulation: fetches")
class SimFetchContractTest extends FetchContract {
    @Override
    public ContractCluster connect() {
        return new SimContractCluster();
    }
}
